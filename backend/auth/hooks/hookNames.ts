/** Hooks by their names in config.toml, with the event name that each receives. */
export const eventNames = {
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  custom_access_token: 'customize-access-token',
  send_email: 'send-email',
  send_sms: 'send-sms',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
} as const
export type HookName = keyof typeof eventNames
export const hookNames = Object.keys(eventNames) as HookName[]
