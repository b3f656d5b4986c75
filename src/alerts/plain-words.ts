/** A text of an alert for a reader who has no alert before him: `the subnet {{ $labels.subnet }}` becomes `the subnet …`. */
export const plainWords = (template: string): string => template.replace(/\{\{.*?\}\}/g, '…');
