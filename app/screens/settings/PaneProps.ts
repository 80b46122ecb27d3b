/** What each pane of the settings receives. */
export interface PaneProps {
  /** Of the item that is displayed: the last part of `<path>/<item>`; null for the pane itself. */
  item: string | null
}
