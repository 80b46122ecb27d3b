import { i18n } from '@lingui/core'

/**
 * Why a delivery to another service failed, in the user's language. The database stores sentences of the schema and messages of
 * the network library; those that are not known here stay as they are.
 */
export function deliveryReason(error: string): string {
  const status = /^The server responded with status (\d{3})\.$/.exec(error)?.[1]
  if (status !== undefined) return i18n._('The service responded with status {status}.', { status })
  if (/in time\.$|timed out|timeout was reached/i.test(error))
    return i18n._('The service didn’t respond in time.')
  if (/couldn['’]t (connect|resolve)|could not (connect|resolve)/i.test(error))
    return i18n._('The service couldn’t be reached.')
  if (/certificate/i.test(error)) return i18n._('The certificate of the service isn’t valid.')
  switch (error) {
    case 'The request failed.':
      return i18n._('The request failed.')
    case 'The response has more than 100 kB.':
      return i18n._('The response is larger than 100 kB.')
    case 'Too many deliveries were waiting.':
      return i18n._('Too many deliveries were waiting.')
    case 'The archive did not contain the secret.':
      return i18n._('The archive didn’t contain the secret. Create a new one.')
    default:
      return error
  }
}
