/** Where a list is to go. An object of its own each time: the same place may be asked for twice. */
export type ScrollTarget =
  /** To the first unread, else to where it was left, else to the end. */
  | { to: 'open' }
  /** To the newest, the first, the first that has not been read. `focus`: who came by key goes on from there. */
  | { to: 'end' | 'start' | 'unread'; focus?: boolean }
  /** To the row of this number: in the middle, or so far (px) below the upper edge. `mark` shows and focuses it. */
  | { to: 'row'; number: number; top: number | null; mark: boolean }

/** The wish to show one message of a list, by its number, and to mark it; null where none is asked for. */
export function rowTarget(number: number | null): ScrollTarget | null {
  return number === null ? null : { to: 'row', number, top: null, mark: true }
}
