import { expect, it } from 'vitest'
import { beginOAuth2, type OAuth2Client } from './oauth2.ts'
import { OutboundError } from '../../runtime/outbound/sendOutbound.ts'

const client: OAuth2Client = {
  authorizeUrl: 'https://provider.example/authorize?kept=1',
  tokenUrl: 'https://provider.example/token',
  clientId: 'app',
  clientSecret: 'secret',
  redirectUri: 'https://auth.example/callback',
  scopes: ['openid'],
  clientAuth: 'auto',
  pkce: true,
  publicOnly: true,
}

it('redirects to http and https URLs only, whatever a discovery document contains', () => {
  const begin = (authorizeUrl: string) => beginOAuth2({ ...client, authorizeUrl }, { state: 's', params: {} })
  expect(begin(client.authorizeUrl).url).toMatch(/^https:\/\/provider\.example\/authorize\?.*kept=1/)
  for (const address of [
    'javascript:alert(1)//',
    'data:text/html,hello',
    'file:///etc/passwd',
    '',
    '/here',
  ]) {
    expect(() => begin(address)).toThrow(OutboundError)
  }
})
