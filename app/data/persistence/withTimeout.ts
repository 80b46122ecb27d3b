/**
 * Rejects if `work` does not end within about so many seconds. The seconds are counted one by one: while the machine
 * sleeps or the page is blocked, only one of them passes.
 */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const count = (left: number) => {
      if (left <= 0) reject(new DOMException('The device does not answer.', 'TimeoutError'))
      else timer = setTimeout(() => count(left - 1), 1_000)
    }
    count(seconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
