/** Why the server can't start: `message` is a sentence for the terminal that says what to do next. */
export class StartError extends Error {
  override name = 'StartError'
}
