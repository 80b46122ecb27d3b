/** Focuses a row. It waits a few frames for the virtualiser to bring the row into the page. */
export function focusRow(place: string, id: string, tries = 5): void {
  const row = document.getElementById(`${place}-${id}`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(place, id, tries - 1))
}
