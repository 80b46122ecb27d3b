import type { ProviderSettings } from '../../settings/providerSettings.ts'
import { askOAuth1Token, signOAuth1, type OAuth1Keys } from '../oauth1.ts'
import { askJson } from '../outbound/askJson.ts'
import { OutboundError, type Outbound } from '../outbound/createOutbound.ts'
import type { Provider } from '../Provider.ts'
import { text } from '../pick.ts'
import { readTwitter } from './moreReaders.ts'

/**
 * Twitter with OAuth 1. The request token is stored, so that a sign-in that began in another browser cannot be
 * finished in this one; GoTrue allows that.
 */
export function useTwitter(
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
      const back = new URL(o.redirectUri)
      back.searchParams.set('state', state)
      const { token, secret } = await askOAuth1Token(outbound, `${base}/oauth/request_token`, keys, {
        oauth_callback: back.href,
      })
      const url = `${base}/oauth/authenticate?${new URLSearchParams({ oauth_token: token })}`
      return { url, keep: `${token} ${secret}` }
    },
    async redeem(returned, kept) {
      const [token = '', tokenSecret = ''] = (kept ?? '').split(' ')
      if (token === '' || returned.get('oauth_token') !== token) {
        throw new OutboundError('the token is not the one that this sign-in began with')
      }
      const more = { oauth_verifier: returned.get('oauth_verifier') ?? '' }
      const given = await askOAuth1Token(
        outbound,
        `${base}/oauth/access_token`,
        { ...keys, token, tokenSecret },
        more,
      )
      return { accessToken: given.token, refreshToken: '', idToken: null, answer: { secret: given.secret } }
    },
    async readUser({ accessToken, answer }) {
      const query = { include_email: 'true', include_entities: 'false', skip_status: 'true' }
      const url = `${profileUrl}?${new URLSearchParams(query)}`
      const signing = { ...keys, token: accessToken, tokenSecret: text(answer, 'secret') }
      const headers = { Authorization: signOAuth1({ method: 'GET', url, keys: signing }) }
      return readTwitter(await askJson(outbound, url, { headers }), profileUrl)
    },
  }
}
