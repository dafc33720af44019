/** Text as part of a page, and back. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Makes text safe anywhere in a page, attributes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** What stands in the middle of a line, so that nothing comes between it and what it touches. */
const INLINE_TAG = /<\/?(?:a|code|em|span|strong)\b[^>]*>/g

/** What a reader sees of HTML that was made here. */
export function textOf(html: string): string {
  const names = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]))
  return html
    .replace(INLINE_TAG, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => names.get(entity) ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}
