const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for an element or an attribute in double quotes, in HTML and in XML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
