/** Where a list has to scroll. Each request is a new object, since the same target may be requested twice. */
export type ScrollTarget =
  /** To the first unread message, else to the last position, else to the end. */
  | { to: 'open' }
  /**
   * To the newest, the first, or the first unread message. `focus`: the request came by keyboard, so the row is
   * focused.
   */
  | { to: 'end' | 'start' | 'unread'; focus?: boolean }
  /**
   * To the row of this number: centred, or at this distance (px) below the upper edge. `mark` highlights and focuses
   * it.
   */
  | { to: 'row'; number: number; top: number | null; mark: boolean }

/** The target that shows and highlights one message by its number; null for null. */
export function rowTarget(number: number | null): ScrollTarget | null {
  return number === null ? null : { to: 'row', number, top: null, mark: true }
}
