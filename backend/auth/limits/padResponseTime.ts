/** In ms; longer than the database queries of these requests take. */
const step = 50

/**
 * Pads the run time of `work` to a multiple of `step`, also when it fails. Requests for an existing account
 * send a message, and the time for it would reveal that the account exists.
 */
export async function padResponseTime<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  try {
    return await work()
  } finally {
    const rest = step - ((performance.now() - begun) % step)
    await new Promise((resolve) => setTimeout(resolve, rest))
  }
}
