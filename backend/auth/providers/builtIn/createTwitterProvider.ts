import type { ProviderSettings } from '../../settings/providerSettings.ts'
import { fetchOAuth1Token, signOAuth1, type OAuth1Keys } from '../oauth1.ts'
import type { Provider } from '../Provider.ts'
import { textAt } from '../readFields.ts'
import { readTwitter } from './readProfilesNToZ.ts'
import { OutboundError } from '../../../runtime/outbound/sendOutbound.ts'
import { type Outbound, fetchJson } from '../createOutbound.ts'

/**
 * Twitter with OAuth 1. The request token is stored, so that a sign-in that began in another browser cannot be
 * finished in this one; GoTrue allows that.
 */
export function createTwitterProvider(
  outbound: Outbound,
  o: { settings: ProviderSettings; redirectUri: string },
): Provider {
  const { settings } = o
  const base = settings.url || 'https://api.twitter.com'
  const profileUrl = `${base}/1.1/account/verify_credentials.json`
  const keys: OAuth1Keys = { key: settings.clientIds[0] ?? '', secret: settings.secret }
  return {
    name: 'twitter',
    emailOptional: settings.emailOptional,
    issuer: null,
    returnsWith: 'oauth_verifier',
    async begin({ state }) {
      const callbackUrl = new URL(o.redirectUri)
      callbackUrl.searchParams.set('state', state)
      const { token, secret } = await fetchOAuth1Token(outbound, `${base}/oauth/request_token`, keys, {
        oauth_callback: callbackUrl.href,
      })
      const url = `${base}/oauth/authenticate?${new URLSearchParams({ oauth_token: token })}`
      return { url, secret: `${token} ${secret}` }
    },
    async redeem(returned, storedToken) {
      const [token = '', tokenSecret = ''] = (storedToken ?? '').split(' ')
      if (token === '' || returned.get('oauth_token') !== token) {
        throw new OutboundError('the token is not the one that this sign-in began with')
      }
      const more = { oauth_verifier: returned.get('oauth_verifier') ?? '' }
      const accessToken = await fetchOAuth1Token(
        outbound,
        `${base}/oauth/access_token`,
        { ...keys, token, tokenSecret },
        more,
      )
      return {
        accessToken: accessToken.token,
        refreshToken: '',
        idToken: null,
        response: { secret: accessToken.secret },
      }
    },
    async readUser({ accessToken, response }) {
      const query = { include_email: 'true', include_entities: 'false', skip_status: 'true' }
      const url = `${profileUrl}?${new URLSearchParams(query)}`
      const signing = { ...keys, token: accessToken, tokenSecret: textAt(response, 'secret') }
      const headers = { Authorization: signOAuth1({ method: 'GET', url, keys: signing }) }
      return readTwitter(await fetchJson(outbound, url, { headers }), profileUrl)
    },
  }
}
