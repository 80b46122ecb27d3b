import { isCheckCode } from '../../wire/serverChecks.ts'
import { requestLocally } from '../runtime/requestLocally.ts'
import type { LocalFinding } from './LocalFinding.ts'

/** Longer than the slowest check of a server. */
const timeoutMs = 40_000
const maxLength = 1024 * 1024

/**
 * The findings of the server that runs on this machine; null if it does not respond. Findings of another version that this
 * one does not know are left out.
 * @param dashboard the URL of its administration page
 */
export async function fetchFindings(
  dashboard: string,
  { isFresh }: { isFresh: boolean },
): Promise<LocalFinding[] | null> {
  try {
    const url = `${dashboard}checks${isFresh ? '?fresh=true' : ''}`
    const { status, text } = await requestLocally(url, { timeoutMs, maxLength })
    if (status !== 200) return null
    const found = JSON.parse(text) as LocalFinding[]
    return found.filter(({ code }) => isCheckCode(code))
  } catch {
    return null
  }
}
