import type { LocalFinding } from './LocalFinding.ts'

/** One check. It may return several findings, and none if it does not apply. */
export interface Check {
  /** The time after which its findings are `onTimeout`. By default 5 s. */
  timeoutMs?: number
  run(signal: AbortSignal): Promise<LocalFinding[]>
  /** The findings if the check fails or takes too long. */
  onTimeout: LocalFinding[]
}

/** A check that takes no time. */
export function now(run: () => LocalFinding[]): Check {
  return { run: async () => run(), onTimeout: [] }
}

const defaultTimeoutMs = 5_000

/** Runs checks at the same time, each for a limited time. Never rejects. The findings are in the order of the checks. */
export async function runChecks(checks: readonly Check[]): Promise<LocalFinding[]> {
  return (await Promise.all(checks.map(runCheck))).flat()
}

async function runCheck(check: Check): Promise<LocalFinding[]> {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<LocalFinding[]>((resolve) => {
    timer = setTimeout(() => resolve(check.onTimeout), check.timeoutMs ?? defaultTimeoutMs)
  })
  try {
    return await Promise.race([check.run(abort.signal), timeout])
  } catch {
    return check.onTimeout
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}
