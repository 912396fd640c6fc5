// SPDX-License-Identifier: Apache-2.0
'use strict';
// Adds to tables what needs a script: sorting by a column, and copying as CSV.

function key(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
}

function sort(table, head, column) {
  const body = table.tBodies[0];
  if (!body) return;
  const falls = head.getAttribute('aria-sort') !== 'descending';
  const rows = [...body.rows].sort((a, b) => {
    const x = key(a, column), y = key(b, column);
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;  // unknown numbers last
    return (x < y ? -1 : x > y ? 1 : 0) * (falls ? -1 : 1);
  });
  body.replaceChildren(...rows);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
}

// The heading of a group becomes the first field of its rows. Numbers have all their digits.
function csv(table) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const grouped = table.querySelector('tr.group') !== null;
  let group = 'group', text = '';
  for (const row of table.rows) {
    if (row.classList.contains('group')) {
      group = row.cells[0].firstChild.textContent;
      continue;
    }
    const fields = [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent);
    text += (grouped ? [group, ...fields] : fields).map((field) => quoted(field.trim())).join(',') + '\n';
  }
  return text;
}

async function copy(button, text) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // a page opened from a file may not be allowed to use the clipboard API
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  button.textContent = done ? 'Copied' : 'Copy failed';
  setTimeout(() => { button.textContent = 'Copy as CSV'; }, 1500);
}

for (const table of document.querySelectorAll('table')) {
  if (table.classList.contains('sortable')) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.tabIndex = 0;
      head.title = `sort by ${head.textContent}`;
      head.addEventListener('click', () => sort(table, head, column));
      head.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') sort(table, head, column);
      });
    });
  }
  if (table.rows.length < 5) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy as CSV';
  button.addEventListener('click', () => copy(button, csv(table)));
  table.closest('.scroll').after(button);
}
