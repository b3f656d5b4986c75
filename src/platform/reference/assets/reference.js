// The reference is whole without this script. On the index it searches for `?q=` and while you type, without a request, and
// it leads from the anchors of the time when the reference was one page to where their sections are now.

const found = document.getElementById('found');

/** The index: every operation and every code is a line, in groups. */
const startIndex = () => {
  const form = document.querySelector('.find');
  const input = form.querySelector('[type="search"]');
  const nothing = document.getElementById('nothing');
  const parts = [...document.querySelectorAll('[data-words]')];
  const groups = [...document.querySelectorAll('.group')];
  const before = found.innerHTML;

  const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const part of parts) part.hidden = !words.every((word) => part.dataset.words.includes(word));
    for (const part of document.querySelectorAll('.prose')) part.hidden = words.length > 0;
    for (const group of groups) group.hidden = [...group.querySelectorAll('[data-words]')].every((part) => part.hidden);
    const shown = parts.filter((part) => !part.hidden);
    const codes = shown.filter((part) => part.classList.contains('code-item')).length;
    nothing.hidden = shown.length > 0;
    if (words.length === 0) found.innerHTML = before;
    else found.textContent = `${count(shown.length - codes, 'operation')}, ${count(codes, 'code')}`;
  };

  /** Whoever comes with the anchor of an operation or a code goes on to its page; another section must be visible. */
  const arrive = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (parts.includes(target)) location.replace(target.querySelector('a').href);
    if (!target?.closest('[hidden]')) return;
    input.value = '';
    search();
    target.scrollIntoView();
  };

  input.addEventListener('input', search);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    search();
    parts.find((part) => !part.hidden)?.scrollIntoView();
  });
  addEventListener('hashchange', arrive);

  const asked = new URLSearchParams(location.search).get('q');
  if (asked !== null) input.value = asked.slice(0, input.maxLength);
  if (input.value !== '') search();
  arrive();
};

if (found) startIndex();
