/** What a person reads, with the markup taken away. */
export const words = (html: string): string =>
  html
    .replace(/<(svg|head)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&hellip;', '…')
    .replace(/\s+/g, ' ');
