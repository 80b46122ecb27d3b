/** Selector of text fields. */
export const FIELD = 'textarea, input:not([type=checkbox], [type=radio], [type=file], [readonly], :disabled)'

/** Selector of the field of a composer, as a text area or as an editable element. */
export const COMPOSER_FIELD = '[data-compose] :is(textarea, [contenteditable=true])'
