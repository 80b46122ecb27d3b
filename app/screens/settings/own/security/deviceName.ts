import { i18n } from '@lingui/core'
import { parseUserAgent } from './parseUserAgent.ts'

/** A readable name of the device with this user agent. */
export function deviceName(userAgent: string | null): string {
  const { browser, system } = parseUserAgent(userAgent ?? '')
  if (browser && system) return i18n._('{browser} on {system}', { browser, system })
  return browser ?? system ?? i18n._('Unknown device')
}
