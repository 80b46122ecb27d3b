/** Why the server can't start: `message` is printed to the terminal and states what to do next. */
export class StartError extends Error {
  override name = 'StartError'
}
