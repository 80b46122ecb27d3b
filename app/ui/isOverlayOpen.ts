/** Whether a dialog, menu or popover is open, which takes the keys; a toast or tooltip takes none. */
export function isOverlayOpen(): boolean {
  return document.querySelector('dialog[open], :popover-open:not([data-toast], [role=tooltip])') !== null
}
