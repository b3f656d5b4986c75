/** A noun after its indefinite article, by its first letter: `an industry`. */
export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
