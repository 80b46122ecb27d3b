import { i18n } from '@lingui/core'
import { expect, it } from 'vitest'
import { factorName } from './factorName.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })

const factor = { id: 'f', status: 'verified', created_at: '2026-11-21T09:00:00Z' } as const

it('is the kind, with the name that its owner gave', () => {
  expect(factorName({ ...factor, factor_type: 'totp', friendly_name: 'Pixel' })).toBe(
    'Authenticator app (Pixel)',
  )
  expect(factorName({ ...factor, factor_type: 'totp', friendly_name: '1' })).toBe('Authenticator app')
  expect(factorName({ ...factor, factor_type: 'webauthn', friendly_name: '2' })).toBe('Security key (2)')
})

it('tells of a number its end alone', () => {
  expect(factorName({ ...factor, factor_type: 'phone', friendly_name: '1', phone: '4930901820' })).toBe(
    'Text message (…820)',
  )
})
