/** Selector of text fields. */
export const FIELD = 'textarea, input:not([type=checkbox], [type=radio], [type=file], [readonly], :disabled)'
