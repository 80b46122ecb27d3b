import { i18n } from '@lingui/core'
import { expect, it } from 'vitest'
import { authFailure } from './authFailure.ts'

i18n.loadAndActivate({ locale: 'en', messages: {} })

it('reads the seconds to wait from the message, if it contains any', () => {
  const message = 'For security purposes, you can only request this after 47 seconds.'
  const failure = authFailure({ code: 'over_email_send_rate_limit', message }, 429)
  expect(failure).toMatchObject({ name: 'over_email_send_rate_limit', seconds: 47, isRetryable: true })
  expect(
    authFailure({ code: 'over_email_send_rate_limit', message: 'email rate limit exceeded' }, 429),
  ).not.toHaveProperty('seconds')
})

it('does not claim that a mail was sent when the limit of the hour is reached', () => {
  const message = 'email rate limit exceeded, try again after 1790 seconds'
  expect(authFailure({ code: 'over_email_send_rate_limit', message }, 429)).toMatchObject({
    message: 'Too many emails or codes were requested in this hour. Try again in 30 min.',
    seconds: 1790,
    isRetryable: true,
  })
})

it.each([
  [['length', 'pwned'], 'weak_password_pwned'],
  [['characters', 'length'], 'weak_password_length'],
  [['characters'], 'weak_password_characters'],
  [['something new'], 'weak_password'],
  [undefined, 'weak_password'],
])('names the worst that a password lacks: %j', (reasons, name) => {
  const failure = authFailure(
    { code: 'weak_password', message: 'Password is weak', weak_password: { reasons } },
    422,
  )
  expect(failure.name).toBe(name)
  expect(failure.message).not.toBe('')
})
