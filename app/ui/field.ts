/** Selects the fields that one types into. */
export const FIELD = 'textarea, input:not([type=checkbox], [type=radio], [type=file], [readonly], :disabled)'
