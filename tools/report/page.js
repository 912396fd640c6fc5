// SPDX-License-Identifier: Apache-2.0
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const svgNamespace = document.getElementById('svg-namespace').namespaceURI;
const main = document.getElementById('main');
const sections = [];

// Texts of the data are always added as text nodes, never as markup.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'onclick') node.addEventListener('click', value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(svgNamespace, tag), attributes, children);

const known = (value) => typeof value === 'number' && isFinite(value);
function time(seconds) {
  if (!known(seconds)) return '–';
  if (seconds === 0) return '0';
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']];
  const [unit, name] = units.find(([size]) => seconds >= size * 0.9995) || [1e-9, 'ns'];
  const value = seconds / unit;
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${name}`;
}
function count(value) {
  if (!known(value)) return '–';
  return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
}
function brief(value) {
  for (const [size, name] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (value >= size) return `${+(value / size).toPrecision(3)}${name}`;
  return `${+value.toPrecision(3)}`;
}
const spaceClass = (name) => (data.spaces.includes(name) ? name : '');
const spaceTag = (name) => el('span', { class: `tag ${spaceClass(name)}` }, name);

function csvText(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(',')).join('\n') + '\n';
}
function copyButton(columns, rows) {
  const button = el('button', { type: 'button' }, 'Copy as CSV');
  button.addEventListener('click', async () => {
    const text = csvText(columns, rows());
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page opened from a file may not be allowed to use the clipboard API
      const area = el('textarea', {});
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand('copy');
      area.remove();
    }
    button.textContent = done ? 'Copied' : 'Copy failed';
    setTimeout(() => (button.textContent = 'Copy as CSV'), 1500);
  });
  return button;
}

// columns: {name, number, value(row) for sorting and CSV, show(row), best(row), wrap}
function table(columns, rows, label) {
  const body = el('tbody', {});
  let shown = rows.slice();
  const draw = () => body.replaceChildren(...shown.map((row) => el('tr', {}, columns.map((column) =>
    el('td', { class: [column.number ? 'number' : '', column.wrap ? 'wrap' : '',
                       column.best && column.best(row) ? 'best' : ''].join(' ').trim() || null },
       column.show ? column.show(row) : String(column.value(row)))))));
  let order = null;
  const heads = columns.map((column) => {
    const head = el('th', { class: column.number ? 'number' : null, scope: 'col' });
    head.append(el('button', { type: 'button', title: `order by ${column.name}`, onclick: () => {
      const down = order && order.column === column ? !order.down : Boolean(column.number);
      order = { column, down };
      shown = rows.slice().sort((a, b) => {
        const x = column.value(a), y = column.value(b);
        if (x === y) return 0;
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : 1) * (down ? -1 : 1);
      });
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      draw();
    } }, column.name));
    return head;
  });
  draw();
  const node = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    el('table', {}, el('thead', {}, el('tr', {}, heads)), body));
  const copy = copyButton(columns.map((column) => column.name),
    () => shown.map((row) => columns.map((column) => column.value(row))));
  return { node, copy };
}

function section(id, title, note, tools, ...children) {
  sections.push([id, title]);
  main.append(el('section', { id }, el('div', { class: 'head' }, el('h2', {}, title),
    el('p', {}, note || ''), tools || null), ...children));
}

function showClaims() {
  if (!data.claims.length) return;
  section('proof', 'Proof', 'What this run checked of itself.', null,
    el('div', { class: 'panel' }, el('ul', { class: 'claims' }, data.claims.map((claim) => el('li', {},
      el('span', { class: `state ${claim.state.replace(' ', '-')}` },
        { holds: '✓ holds', fails: '✗ fails' }[claim.state] || '– not run'),
      el('div', {}, claim.claim, el('div', { class: 'soft' }, claim.detail)))))));
}

function showHits() {
  if (!data.hits.length) return;
  const most = Math.max(...data.hits.map((hit) => hit.score));
  const colour = (name) => (['match', 'search', 'spread'].includes(name) ? name : 'other');
  const rankings = [...new Set(data.hits.flatMap((hit) => hit.reasons.map((r) => r.ranking)))];
  const rows = data.hits.flatMap((hit, place) => hit.reasons.map((r) =>
    [place + 1, hit.title, hit.score, r.ranking, r.place, r.score, r.contribution, r.detail]));
  section('ranking', 'Ranking', data.query ? `Query: “${data.query}”` : '',
    copyButton(['place', 'hit', 'fused', 'ranking', 'ranking place', 'score', 'contribution', 'detail'],
      () => rows),
    el('div', { class: 'legend' }, rankings.map((name) => el('span', {},
      el('span', { class: `share fill-${colour(name)}`, style: 'width:18px;margin-right:6px' }), name))),
    el('ol', { class: 'hits' }, data.hits.map((hit, place) => el('li', { class: 'panel' },
      el('div', { class: 'place' }, String(place + 1)),
      el('div', {},
        el('div', { class: 'hit-title' }, hit.title),
        el('div', { class: 'hit-text' }, hit.text),
        el('div', { class: 'bar', role: 'img', 'aria-label': `fused score ${hit.score.toFixed(4)}` },
          hit.reasons.map((r) => el('i', { class: `fill-${colour(r.ranking)}`,
            style: `width:${(100 * r.contribution / most).toFixed(2)}%`,
            title: `${r.ranking}: ${r.contribution.toFixed(4)} of ${hit.score.toFixed(4)}` }))),
        el('div', { class: 'reasons' }, hit.reasons.map((r) => el('div', {},
          el('span', { class: `tag ${colour(r.ranking)}` }, r.ranking),
          el('span', { class: 'mono', title: `place in ${r.ranking}` }, `#${r.place}`),
          el('span', { class: 'mono', title: 'its own score' }, r.score.toFixed(3)),
          el('span', { class: 'detail' }, r.detail)))))))));
}

function showDecisions() {
  const all = data.decisions;
  if (!all.total) return;
  const sum = table([
    { name: 'operation', value: (r) => r.op },
    { name: 'chosen', value: (r) => r.chosen, show: (r) => spaceTag(r.chosen) },
    { name: 'why', value: (r) => r.why },
    { name: 'calls', number: true, value: (r) => r.calls, show: (r) => count(r.calls) },
    { name: 'taken', number: true, value: (r) => r.taken, show: (r) => time(r.taken) },
    { name: 'regret', number: true, value: (r) => r.regret, show: (r) => time(r.regret) },
  ], all.summary, 'decisions in sum');
  const best = (r, space) => known(r.predicted[space]) &&
    r.predicted[space] === Math.min(...r.predicted.filter(known));
  const used = data.spaces.map((name, space) => [name, space])
    .filter(([, space]) => all.rows.some((r) => known(r.predicted[space])));
  const rows = table([
    { name: '#', number: true, value: (r) => r.n },
    { name: 'operation', value: (r) => r.op },
    { name: 'items', number: true, value: (r) => r.items, show: (r) => count(r.items) },
    ...used.map(([name, space]) => ({ name: `predicted ${name}`, number: true,
      value: (r) => r.predicted[space], show: (r) => time(r.predicted[space]), best: (r) => best(r, space) })),
    { name: 'chosen', value: (r) => r.chosen, show: (r) => spaceTag(r.chosen) },
    { name: 'taken', number: true, value: (r) => r.taken, show: (r) => time(r.taken) },
    { name: 'why', value: (r) => r.why },
    { name: 'regret', number: true, value: (r) => r.regret, show: (r) => time(r.regret) },
  ], all.rows, 'every decision');
  const cut = all.rows.length < all.total
    ? ` The ${count(all.rows.length)} of greatest regret are listed.` : '';
  section('decisions', 'Dispatch decisions',
    `${count(all.total)} ${all.total === 1 ? 'call' : 'calls'}. The least predicted time is marked; regret is the time taken beyond it.${cut}`,
    rows.copy, sum.node, el('details', { open: all.rows.length <= 40 ? '' : null },
      el('summary', {}, 'Every decision'), rows.node));
}

// Powers of ten if the range contains at least two of them, otherwise steps of 1, 2 and 5.
function ticks(from, to) {
  const steps = to - from >= 2 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(from); power <= to; ++power)
    for (const step of steps)
      if (step * 10 ** power >= 10 ** from * 0.999 && step * 10 ** power <= 10 ** to * 1.001) found.push(step * 10 ** power);
  return found;
}

function chart(sweep) {
  const width = 520, height = 330, left = 62, right = 14, top = 26, bottom = 66;
  // A prediction that is far off must not compress the measured curve; it is drawn along the edge.
  const positive = (v) => known(v) && v > 0;
  const measured = sweep.points.flatMap((p) => p.taken).filter(positive);
  const near = (v) => positive(v) &&
    (!measured.length || (v > Math.min(...measured) / 10 && v < Math.max(...measured) * 10));
  const values = [...measured, ...sweep.points.flatMap((p) => p.predicted).filter(near)];
  const log = Math.log10;
  const xs = sweep.points.map((p) => log(p.items));
  const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 0.3);
  const y0 = Math.floor(log(Math.min(...values))), y1 = Math.max(Math.ceil(log(Math.max(...values))), y0 + 1);
  const X = (items) => left + (log(items) - x0) / (x1 - x0) * (width - left - right);
  const Y = (seconds) => height - bottom -
    (Math.min(Math.max(log(seconds), y0), y1) - y0) / (y1 - y0) * (height - top - bottom);
  const node = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', tabindex: 0,
    'aria-label': `${sweep.op}: seconds a batch by ${sweep.unit} on each space; arrow keys read the points` });
  for (let y = y0; y <= y1; ++y) {
    node.append(svg('line', { class: 'grid', x1: left, x2: width - right, y1: Y(10 ** y), y2: Y(10 ** y) }),
      svg('text', { x: left - 7, y: Y(10 ** y) + 4, 'text-anchor': 'end' }, time(10 ** y).replace(/\.0+ /, ' ')));
  }
  for (const tick of ticks(x0, x1)) {
    const x = X(tick);
    node.append(svg('line', { class: 'grid', x1: x, x2: x, y1: top, y2: height - bottom + 4 }),
      svg('text', { x, y: height - bottom + 17, 'text-anchor': 'middle' }, brief(tick)));
  }
  node.append(svg('line', { class: 'frame', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg('text', { x: width - right, y: height - 4, 'text-anchor': 'end' }, `${sweep.unit} in one call`),
    svg('text', { x: 4, y: 13 }, 'time a call'));
  const path = (which, space) => {
    const points = sweep.points.filter((p) => known(p[which][space]) && p[which][space] > 0);
    return points.map((p, i) => `${i ? 'L' : 'M'}${X(p.items).toFixed(1)} ${Y(p[which][space]).toFixed(1)}`).join('');
  };
  data.spaces.forEach((name, space) => {
    const group = svg('g', { class: name });
    const predicted = path('predicted', space), taken = path('taken', space);
    if (predicted) group.append(svg('path', { class: 'predicted', d: predicted }));
    if (taken) group.append(svg('path', { class: 'line', d: taken }));
    for (const p of sweep.points)
      if (known(p.taken[space])) group.append(shape(space, X(p.items), Y(p.taken[space])));
    const from = sweep.crossover.taken[space];
    if (known(from)) {
      const x = X(from), end = x > width * 0.62;
      group.append(svg('line', { class: 'cross', x1: x, x2: x, y1: top, y2: height - bottom }),
        svg('text', { class: 'cross-text', x: end ? x - 5 : x + 5, y: top + 10 + 14 * space,
                      'text-anchor': end ? 'end' : 'start' }, `${name} pays from ${count(from)}`));
    }
    node.append(group);
  });
  const edges = sweep.points.map((p, i) => i ? (X(sweep.points[i - 1].items) + X(p.items)) / 2 : left);
  sweep.points.forEach((p, i) => {
    if (!p.chosen) return;
    const x = edges[i], end = i + 1 < edges.length ? edges[i + 1] : width - right;
    node.append(svg('rect', { class: `strip ${spaceClass(p.chosen)}`, x: x.toFixed(1), y: height - bottom + 25,
      width: Math.max(end - x - 1, 1).toFixed(1), height: 9, rx: 2 }));
  });
  if (sweep.points.some((p) => p.chosen))
    node.append(svg('text', { x: left, y: height - 4 }, 'bar: the space the dispatcher took'));

  const readout = el('div', { class: 'readout', 'aria-live': 'polite' });
  const cursor = svg('line', { class: 'hover', y1: top, y2: height - bottom, visibility: 'hidden' });
  node.append(cursor);
  let at = -1;
  const read = (i) => {
    at = Math.max(0, Math.min(sweep.points.length - 1, i));
    const p = sweep.points[at];
    cursor.setAttribute('x1', X(p.items));
    cursor.setAttribute('x2', X(p.items));
    cursor.setAttribute('visibility', 'visible');
    readout.replaceChildren(`${count(p.items)} ${sweep.unit}: `, ...data.spaces.flatMap((name, space) =>
      known(p.taken[space]) ? [spaceTag(name), ` ${time(p.taken[space])}` +
        (known(p.predicted[space]) ? ` (predicted ${time(p.predicted[space])})  ` : '  ')] : []),
      ...(p.chosen ? ['took ', spaceTag(p.chosen)] : []));
  };
  const rest = () => {
    cursor.setAttribute('visibility', 'hidden');
    readout.textContent = 'Point at the plot, or focus it and use the arrow keys, to read the times.';
  };
  node.addEventListener('pointermove', (event) => {
    const box = node.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * width;
    let nearest = 0;
    sweep.points.forEach((p, i) => {
      if (Math.abs(X(p.items) - x) < Math.abs(X(sweep.points[nearest].items) - x)) nearest = i;
    });
    read(nearest);
  });
  node.addEventListener('pointerleave', rest);
  node.addEventListener('blur', rest);
  node.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    read(at + step);
  });
  rest();
  const found = data.spaces.flatMap((name, space) => {
    if (space === 0 || !sweep.points.some((p) => known(p.taken[space]))) return [];
    const taken = sweep.crossover.taken[space], predicted = sweep.crossover.predicted[space];
    const say = (value) => (known(value) ? `from ${count(value)}` : 'never');
    return [el('div', {}, spaceTag(name), known(taken) ? ` pays ${say(taken)} ${sweep.unit}` : ' never pays here',
      ` (predicted: ${say(predicted)})`)];
  });
  return el('div', { class: 'panel chart' }, el('h3', {}, sweep.op),
    el('div', { class: 'found' }, found), node, readout);
}

function shape(space, x, y) {
  if (space === 0) return svg('circle', { class: 'dot', cx: x, cy: y, r: 3.6 });
  if (space === 1) return svg('rect', { class: 'dot', x: x - 3.3, y: y - 3.3, width: 6.6, height: 6.6 });
  return svg('path', { class: 'dot', d: `M${x} ${y - 4.5}L${x + 4.3} ${y + 3.2}H${x - 4.3}Z` });
}

function showSweeps() {
  const sweeps = data.sweeps.filter((sweep) => sweep.points.length);
  if (!sweeps.length) return;
  const rows = sweeps.flatMap((sweep) => sweep.points.map((p) => ({ sweep, ...p })));
  const used = data.spaces.map((name, space) => [name, space])
    .filter(([, space]) => rows.some((r) => known(r.taken[space])));
  const best = (r, space) => known(r.taken[space]) && r.taken[space] === Math.min(...r.taken.filter(known));
  const list = table([
    { name: 'operation', value: (r) => r.sweep.op },
    { name: 'items', number: true, value: (r) => r.items, show: (r) => count(r.items) },
    { name: 'unit', value: (r) => r.sweep.unit },
    ...used.flatMap(([name, space]) => [
      { name: `${name} taken`, number: true, value: (r) => r.taken[space], show: (r) => time(r.taken[space]),
        best: (r) => best(r, space) },
      { name: `${name} predicted`, number: true, value: (r) => r.predicted[space],
        show: (r) => time(r.predicted[space]) }]),
    { name: 'dispatcher took', value: (r) => r.chosen, show: (r) => (r.chosen ? spaceTag(r.chosen) : '–') },
  ], rows, 'sweep');
  const swatch = (name, space) => el('span', {}, svg('svg', { viewBox: '0 0 34 12', class: name, 'aria-hidden': true },
    svg('line', { x1: 0, x2: 34, y1: 6, y2: 6, stroke: 'currentColor', 'stroke-width': 2.2 }), shape(space, 17, 6)), name);
  section('sweep', 'Where each space starts to pay',
    'Time of one call by batch size, every space forced in turn. Both axes are logarithmic.', list.copy,
    el('div', { class: 'legend' }, used.map(([name, space]) => swatch(name, space)),
      el('span', {}, svg('svg', { viewBox: '0 0 34 12', 'aria-hidden': true }, svg('line', { x1: 0, x2: 34, y1: 6, y2: 6,
        stroke: 'currentColor', 'stroke-width': 1.4, 'stroke-dasharray': '4 4' })), 'predicted'),
      el('span', {}, svg('svg', { viewBox: '0 0 34 12', 'aria-hidden': true }, svg('line', { x1: 17, x2: 17, y1: 0, y2: 12,
        stroke: 'currentColor', 'stroke-width': 1.6, 'stroke-dasharray': '1 3' })), 'crossover')),
    el('div', { class: 'charts' }, sweeps.map(chart)),
    el('details', {}, el('summary', {}, 'The sweep as a table'), list.node));
}

function showKernels() {
  if (!data.kernels.length) return;
  const total = data.kernels.reduce((sum, kernel) => sum + kernel.seconds, 0) || 1;
  const list = table([
    { name: 'kernel', wrap: true, value: (k) => k.name, show: (k) => el('span', { class: 'mono' }, k.name) },
    { name: 'space', value: (k) => k.space, show: (k) => spaceTag(k.space) },
    { name: 'calls', number: true, value: (k) => k.calls, show: (k) => count(k.calls) },
    { name: 'total', number: true, value: (k) => k.seconds, show: (k) => time(k.seconds) },
    { name: 'a call', number: true, value: (k) => k.seconds / Math.max(k.calls, 1),
      show: (k) => time(k.seconds / Math.max(k.calls, 1)) },
    { name: 'share', number: true, value: (k) => k.seconds / total, show: (k) => [
      `${(100 * k.seconds / total).toFixed(1)} % `,
      el('span', { class: 'share', style: `width:${(60 * k.seconds / total).toFixed(1)}px` })] },
  ], data.kernels, 'kernel times');
  section('kernels', 'Kernel times', 'Host spaces: wall time of the launch; a device: from launch to its fence.',
    list.copy, list.node);
}

// Columns of seeds by lifecycle state, one per state file, stacked in the order of the codes.
function lifecycleChart(layer) {
  const width = 520, height = 210, left = 48, right = 12, top = 12, bottom = 34;
  const most = Math.max(1, ...layer.states.map((state) => state.counts.reduce((a, b) => a + b, 0)));
  const step = (width - left - right) / layer.states.length;
  const Y = (seeds) => height - bottom - seeds / most * (height - top - bottom);
  const node = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'seeds by lifecycle' });
  for (const share of [0, 0.5, 1]) {
    const seeds = Math.round(share * most);
    node.append(svg('line', { class: 'grid', x1: left, x2: width - right, y1: Y(seeds), y2: Y(seeds) }),
      svg('text', { x: left - 6, y: Y(seeds) + 4, 'text-anchor': 'end' }, brief(seeds)));
  }
  layer.states.forEach((state, i) => {
    let below = 0;
    const bar = Math.min(step * 0.86, 90), x = left + step * i + (step - bar) / 2;
    state.counts.forEach((seeds, code) => {
      if (!seeds) return;
      const rect = svg('rect', { class: `life-${code}`, x: x.toFixed(1), width: bar.toFixed(1), y: Y(below + seeds).toFixed(2),
        height: (Y(below) - Y(below + seeds)).toFixed(2) });
      rect.append(svg('title', {}, `${state.label}: ${count(seeds)} ${layer.names[code]}`));
      node.append(rect);
      below += seeds;
    });
  });
  node.append(svg('line', { class: 'frame', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg('text', { x: left, y: height - 12 }, layer.states.length > 1 ? layer.states[0].label : ''),
    svg('text', { x: width - right, y: height - 12, 'text-anchor': 'end' }, layer.states[layer.states.length - 1].label));
  return el('div', { class: 'panel chart' }, el('h3', {}, 'Lifecycle: seeds in each state'), node);
}

// One metric by seed, one line per epoch; the last one is fully opaque.
function telemetryChart(layer, field, title) {
  const width = 520, height = 210, left = 58, right = 12, top = 12, bottom = 34;
  const values = layer.epochs.flatMap((epoch) => epoch[field]).filter(known);
  if (!values.length) return null;
  let low = Math.min(0, ...values), high = Math.max(...values, low);
  if (high === low) high = low + 1;
  const X = (i, length) => left + (length < 2 ? 0.5 : i / (length - 1)) * (width - left - right);
  const Y = (value) => height - bottom - (value - low) / (high - low) * (height - top - bottom);
  const node = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title} by seed` });
  for (const share of [0, 0.5, 1]) {
    const value = low + share * (high - low);
    node.append(svg('line', { class: 'grid', x1: left, x2: width - right, y1: Y(value), y2: Y(value) }),
      svg('text', { x: left - 6, y: Y(value) + 4, 'text-anchor': 'end' }, String(+value.toPrecision(3))));
  }
  layer.epochs.forEach((epoch, e) => {
    const last = e + 1 === layer.epochs.length;
    const points = epoch[field].map((value, i) => [i, value]).filter(([, value]) => known(value));
    const group = svg('g', { class: last ? 'match' : 'earlier' });
    group.append(svg('path', { class: last ? 'line' : 'predicted',
      d: points.map(([i, value], n) => `${n ? 'L' : 'M'}${X(i, epoch[field].length).toFixed(1)} ${Y(value).toFixed(1)}`).join('') }));
    if (epoch[field].length < 40 && last)
      for (const [i, value] of points) group.append(svg('circle', { class: 'dot', cx: X(i, epoch[field].length), cy: Y(value), r: 3 }));
    group.append(svg('title', {}, epoch.label));
    node.append(group);
  });
  node.append(svg('line', { class: 'frame', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg('text', { x: left, y: height - 12 }, 'seed 0'),
    svg('text', { x: width - right, y: height - 12, 'text-anchor': 'end' }, `seed ${count(layer.total - 1)}`));
  return el('div', { class: 'panel chart' }, el('h3', {}, title), node);
}

function showSeeds() {
  const layer = data.seeds;
  if (!layer.total) return;
  const now = layer.states[layer.states.length - 1].counts;
  const list = table([
    { name: 'seed', number: true, value: (r) => r.seed },
    { name: 'lifecycle', value: (r) => r.lifecycle, show: (r) => [
      el('span', { class: `swatch life-${layer.names.indexOf(r.lifecycle)}` }), r.lifecycle] },
    { name: 'blueprint', number: true, value: (r) => r.blueprint, show: (r) => (r.blueprint < 0 ? '–' : String(r.blueprint)) },
    { name: 'mode', value: (r) => r.mode },
    { name: 'alpha', number: true, value: (r) => r.alpha, show: (r) => String(+r.alpha.toPrecision(4)) },
    { name: 'schedule', value: (r) => r.schedule },
    { name: 'epochs', number: true, value: (r) => r.epochs, show: (r) => count(r.epochs) },
    { name: 'errors', number: true, value: (r) => r.errors },
    { name: 'health', number: true, value: (r) => r.health, show: (r) => (known(r.health) ? r.health.toFixed(3) : '–') },
    { name: 'last transitions', wrap: true, value: (r) => r.history },
  ], layer.rows, 'seeds');
  const cut = layer.rows.length < layer.total ? ` The first ${count(layer.rows.length)} are listed.` : '';
  section('seeds', 'Seeds', `${count(layer.total)} seeds.${cut}`, list.copy,
    el('div', { class: 'legend' }, layer.names.map((name, code) => (now[code] ? el('span', {},
      el('span', { class: `swatch life-${code}` }), `${name} ${count(now[code])}`) : null))),
    el('div', { class: 'charts' }, lifecycleChart(layer),
      telemetryChart(layer, 'mean', 'Mean of the input'),
      telemetryChart(layer, 'deviation', 'Standard deviation of the input'),
      telemetryChart(layer, 'dead_ratio', 'Share of dead inputs'),
      telemetryChart(layer, 'health', 'Health')),
    layer.epochs.length > 1 ? el('p', { class: 'soft' },
      `Solid: ${layer.epochs[layer.epochs.length - 1].label}; dashed: the epochs before it.`) : null,
    el('details', { open: layer.rows.length <= 40 ? '' : null }, el('summary', {}, 'Every seed'), list.node));
}

function showPairs(id, title, pairs) {
  if (!pairs.length) return;
  section(id, title, '', copyButton(['name', 'value'], () => pairs),
    el('div', { class: 'panel' }, el('dl', {}, pairs.flatMap(([name, value]) =>
      [el('dt', {}, name), el('dd', {}, value)]))));
}

function theme(next) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const apply = () => {
    const name = chosen || (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = name;
    document.documentElement.style.colorScheme = name;
    next.textContent = name === 'dark' ? 'Light' : 'Dark';
  };
  dark.addEventListener('change', apply);
  next.addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    apply();
  });
  apply();
}

document.title = data.title || 'Kindred report';
const toggle = el('button', { type: 'button', title: 'colours' });
theme(toggle);
showHits();
showClaims();
showPairs('run', 'This run', data.run);
showSeeds();
showDecisions();
showSweeps();
showKernels();
showPairs('environment', 'Environment', data.environment);
document.getElementById('header').append(
  el('div', { class: 'titles' }, el('h1', {}, data.title || 'Kindred report'),
    el('p', { class: 'soft' }, data.subtitle)), toggle,
  el('nav', { 'aria-label': 'parts of the report' },
    sections.map(([id, title]) => el('a', { href: `#${id}` }, title))));
