// Rules that all forms share. The API checks every value again, and more thoroughly.

/** A rough check of e-mail addresses. It is slow on very long texts, so check the length before. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** Whether a text has too many characters. They are counted as the API does: `length` counts an emoji twice. */
export const exceeds = (text: string, most: number): boolean => text.length > most && Array.from(text).length > most;
