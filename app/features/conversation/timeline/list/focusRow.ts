/**
 * Focuses a row. Waits a few frames until the virtualizer has rendered and measured it: before that, the row is hidden and
 * cannot get the focus.
 */
export function focusRow(scope: string, id: string, tries = 5): void {
  const row = document.getElementById(`${scope}-${id}`)
  row?.focus({ preventScroll: true })
  const isFocused = row !== null && row === document.activeElement
  if (!isFocused && tries > 0) requestAnimationFrame(() => focusRow(scope, id, tries - 1))
}
