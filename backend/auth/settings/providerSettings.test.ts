import { expect, it } from 'vitest'
import { ConfigError } from '../../config/ConfigError.ts'
import { builtInProviders } from '../providers/builtIn/builtInProviders.ts'
import { providerNames, readProviderSettings } from './providerSettings.ts'
import type { SettingsReader } from './createSettingsReader.ts'

function read(values: Record<string, unknown>) {
  const at = (path: string, fallback: unknown) => values[path] ?? fallback
  const errorAt = (path: string, problem: string) => new ConfigError(`${path} ${problem}`)
  return readProviderSettings({ at, errorAt } as unknown as SettingsReader)
}
const github = (more: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries({ enabled: true, client_id: 'app', secret: 's', ...more }).map(([key, value]) => [
      `auth.external.github.${key}`,
      value,
    ]),
  )

it('reads several client ids, and a URL without its trailing slash', () => {
  const { providers } = read(github({ client_id: 'web, ios ,', url: 'https://code.example.com/' }))
  expect(providers.github).toMatchObject({
    enabled: true,
    clientIds: ['web', 'ios'],
    url: 'https://code.example.com',
    skipNonceCheck: false,
    emailOptional: false,
  })
  expect(providers.google.enabled).toBe(false)
})

it('needs no secret for providers whose applications send ID tokens', () => {
  const google = { 'auth.external.google.enabled': true, 'auth.external.google.client_id': 'app' }
  expect(read(google).providers.google.enabled).toBe(true)
})

it.each([
  [github({ client_id: '' }), /github is enabled and needs client_id/],
  [github({ secret: '' }), /github is enabled and needs secret/],
  [github({ url: 'code.example.com' }), /github\.url must be an address/],
  [github({ redirect_uri: 'javascript:alert(1)' }), /github\.redirect_uri must be an address/],
  [
    {
      'auth.external.keycloak.enabled': true,
      'auth.external.keycloak.client_id': 'app',
      'auth.external.keycloak.secret': 's',
    },
    /keycloak needs url/,
  ],
])('rejects %o', (values, message) => {
  expect(() => read(values)).toThrow(ConfigError)
  expect(() => read(values)).toThrow(message)
})

it('has an implementation for every provider that can be configured', () => {
  expect([...Object.keys(builtInProviders), 'twitter'].sort()).toEqual([...providerNames].sort())
})
