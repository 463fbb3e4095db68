const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (character) => ESCAPES[character]);
}

/** The whole page as HTML. */
export function renderPage({ entries }) {
  const items = entries.map(({ name, message }) => `<li><b>${escapeHtml(name)}</b> ${escapeHtml(message)}</li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Guestbook</title>
<h1>Guestbook</h1>
<ul class="entries">
${items.join('\n')}
</ul>
</html>
`;
}
