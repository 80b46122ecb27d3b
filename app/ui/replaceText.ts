/**
 * Replaces a range of a text field and selects the new text from `start` to `end` (default: the caret behind it). The field
 * gets the focus. As `insertText` it can be undone like typing, which `setRangeText` would not be; although deprecated, it
 * is the only interface that browsers have for this.
 */
export function replaceText(
  field: HTMLTextAreaElement | HTMLInputElement,
  edit: { from: number; to: number; insert: string; start?: number; end?: number },
): void {
  const { from, to, insert, start = from + insert.length, end = start } = edit
  field.focus({ preventScroll: true })
  field.setSelectionRange(from, to)
  const isDone =
    insert === ''
      ? from === to || document.execCommand('delete')
      : document.execCommand('insertText', false, insert)
  if (!isDone) {
    field.setRangeText(insert, from, to)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  field.setSelectionRange(start, end)
}
