/** Why the backend can't start: `message` is a sentence for the terminal, with what can be done. */
export class StartError extends Error {
  override name = 'StartError'
}
