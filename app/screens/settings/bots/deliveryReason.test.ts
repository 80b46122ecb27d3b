import { i18n } from '@lingui/core'
import { beforeAll, expect, it } from 'vitest'
import { deliveryReason } from './deliveryReason.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

it.each([
  ['The server responded with status 503.', 'The service responded with status 503.'],
  ['The server did not respond in time.', 'The service didn’t respond in time.'],
  ['Timeout was reached', 'The service didn’t respond in time.'],
  ["Couldn't resolve host name", 'The service couldn’t be reached.'],
  ['SSL peer certificate or SSH remote key was not OK', 'The certificate of the service isn’t valid.'],
  ['The archive did not contain the secret.', 'The archive didn’t contain the secret. Create a new one.'],
  ['Weird server reply', 'Weird server reply'],
])('of "%s" is "%s"', (error, reason) => {
  expect(deliveryReason(error)).toBe(reason)
})
