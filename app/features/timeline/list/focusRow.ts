/** Focuses a row. Waits a few frames until the virtualizer has rendered it. */
export function focusRow(scope: string, id: string, tries = 5): void {
  const row = document.getElementById(`${scope}-${id}`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(scope, id, tries - 1))
}
