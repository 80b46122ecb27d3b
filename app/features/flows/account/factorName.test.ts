import { i18n } from '@lingui/core'
import { expect, it } from 'vitest'
import { factorName } from './factorName.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })

const factor = { id: 'f', status: 'verified', created_at: '2026-11-21T09:00:00Z' } as const

it('a factor is named by its type and the name that its owner gave it', () => {
  expect(factorName({ ...factor, factor_type: 'totp', friendly_name: 'Pixel' })).toBe(
    'Authenticator app (Pixel)',
  )
  expect(factorName({ ...factor, factor_type: 'totp', friendly_name: '1' })).toBe('Authenticator app')
  expect(factorName({ ...factor, factor_type: 'webauthn', friendly_name: '2' })).toBe('Security key (2)')
})

it('of a phone number only the last digits are shown', () => {
  expect(factorName({ ...factor, factor_type: 'phone', friendly_name: '1', phone: '4930901820' })).toBe(
    'Text message (…820)',
  )
})
