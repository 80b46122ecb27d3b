/** In ms; longer than what is asked of the database takes. */
const step = 50

/**
 * Does what an address or number decides, and ends after a whole number of steps: who has an account is sent a
 * message, which takes some milliseconds that would tell. Refusals take as long.
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
