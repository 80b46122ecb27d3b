import type { Content } from '../_shared/composeMessage.ts'
import { parsePayload, slackContent } from '../_shared/slackPayload.ts'
import type { Fields } from '../_shared/payloadFields.ts'
import { isAlerts, readAlerts } from './readers/alerts.ts'
import { isDiscord, readDiscord } from './readers/discord.ts'
import { readGithub } from './readers/github.ts'
import { readGitlab } from './readers/gitlab.ts'
import { readSentry } from './readers/sentry.ts'
import { isUptimeKuma, readUptimeKuma } from './readers/uptimeKuma.ts'

/**
 * The content of a request; null for an event that posts nothing. The headers or the form of the payload decide who has sent
 * it. Throws PayloadError.
 */
export function readMessage(body: string, headers: Headers): Content | null {
  return readContent(parsePayload(body, headers.get('content-type') ?? ''), headers)
}

function readContent(payload: Fields, headers: Headers): Content | null {
  // Gitea and Forgejo also send GitHub's header, with other names of some events.
  const git = ['x-forgejo-event', 'x-gitea-event', 'x-github-event']
    .map((name) => headers.get(name))
    .find(Boolean)
  if (git) return readGithub(git, payload)
  if (headers.has('x-gitlab-event')) return readGitlab(payload)
  const resource = headers.get('sentry-hook-resource')
  if (resource !== null) return readSentry(resource, payload)
  if (isAlerts(payload)) return readAlerts(payload)
  if (isUptimeKuma(payload)) return readUptimeKuma(payload)
  return isDiscord(payload) ? readDiscord(payload) : slackContent(payload)
}
