/** A config.toml that enables everything. */
export const fullConfig = `
[auth]
enable_anonymous_sign_ins = true
enable_manual_linking = true
[auth.email]
max_frequency = "1m"
[auth.sms]
enable_signup = true
enable_confirmations = true
[auth.mfa]
totp = { enroll_enabled = true, verify_enabled = true }
phone = { enroll_enabled = true, verify_enabled = true }
web_authn = { enroll_enabled = true, verify_enabled = true }
[auth.passkey]
enabled = true
[auth.web3]
solana = { enabled = true }
ethereum = { enabled = true }
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true
`
