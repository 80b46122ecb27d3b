import { writeFileSync } from 'node:fs'
import { installationFile } from './loadConfig.ts'

/** The first linnet.toml of a data directory: all of it is comments. Settings have no space after the "#". */
export const installationTemplate = `# Settings of this installation of Linnet.
#
# To use a setting, remove the "#" before it and before the name of its section in brackets. Then check this file with
# "linnet settings check", and restart Linnet. docs/settings.md describes all settings.

# The address that people type into their browser. Behind a proxy such as Caddy, nothing else in this section is needed.
#[server]
#public_url = "https://chat.example.org"
#port = 4280

# Linnet serves https itself: also listen on all addresses, with a certificate.
#host = "0.0.0.0"
#tls_cert = "/etc/linnet/fullchain.pem"
#tls_key = "/etc/linnet/privkey.pem"

# Proxies on other machines whose X-Forwarded-For is trusted.
#trusted_proxies = ["10.0.3.7"]

# Linnet serves https, and gets and renews the certificate itself. It then needs the ports 80 and 443.
#[tls]
#acme = true
#accept_terms = true
#contact = "admin@example.org"

# The mail server, for sign-in, invitations and unread messages. Your mail provider has these values.
#[auth.email.smtp]
#host = "smtp.example.org"
#port = 587
#user = "chat"
#pass = "the password"
#admin_email = "chat@example.org"
#sender_name = "Linnet"

# Sign-in with accounts of another service. Its name can be google, github, gitlab, azure, keycloak and others.
#[auth.external.google]
#enabled = true
#client_id = "the client id"
#secret = "the client secret"

# The largest file that people can attach.
#[storage]
#file_size_limit = "500MiB"

# Mails of unread messages, and how operators of push services reach you.
#[settings]
#mail_delay_minutes = 15
#mail_text = true
#mail_language = "en"
#push_contact = "mailto:admin@example.org"
`

/**
 * Writes the template into a data directory that has no linnet.toml.
 * @param command as people type it: "bin/linnet" in a checkout
 */
export function writeInstallationTemplate(dataDir: string, command = 'linnet'): void {
  try {
    const text = installationTemplate.replace('"linnet ', `"${command} `)
    writeFileSync(installationFile(dataDir), text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
