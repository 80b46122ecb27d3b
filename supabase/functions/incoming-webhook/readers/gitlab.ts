import type { CardColor, MessageCard } from '../../../../wire/messages.ts'
import type { Content } from '../../_shared/composeMessage.ts'
import { objectOf, objectsOf, textOf, type Fields } from '../../_shared/payloadFields.ts'
import { bold, code, counted, firstText, line, linked, markdownBlock } from './markdown.ts'

const maxCommits = 10

/** An event of a project or group of GitLab; null for events that post nothing. */
export function readGitlab(payload: Fields): Content | null {
  const attributes = objectOf(payload['object_attributes'])
  switch (textOf(payload['object_kind'])) {
    case 'push':
    case 'tag_push':
      return readPush(payload)
    case 'issue':
      return readItem(payload, 'an issue', `#${String(attributes['iid'] ?? '')}`)
    case 'merge_request':
      return readItem(payload, 'a merge request', `!${String(attributes['iid'] ?? '')}`)
    case 'note':
      return readNote(payload, attributes)
    case 'pipeline':
      return readPipeline(payload, attributes)
    case 'release':
      return textOf(payload['action']) === 'create'
        ? sentence(payload, 'published a release', [
            {
              color: 'blue',
              title: linked(firstText(payload, 'name', 'tag'), payload['url']),
              text: markdownBlock(payload['description']),
            },
          ])
        : null
    case 'wiki_page':
      return sentence(
        payload,
        `${line(verbOf(textOf(attributes['action'])))} the wiki page ${linked(attributes['title'], attributes['url'])}`,
      )
    case 'deployment':
      return readDeployment(payload)
    default:
      return null
  }
}

const verbOf = (action: string): string => (action.endsWith('e') ? `${action}d` : action)

function sentence(payload: Fields, text: string, cards: MessageCard[] = []): Content {
  const project = objectOf(payload['project'])
  const person = firstText(payload, 'user_name') || firstText(objectOf(payload['user']), 'name', 'username')
  const where = linked(
    firstText(project, 'path_with_namespace', 'name'),
    firstText(project, 'web_url', 'homepage'),
  )
  return { text: [where, [line(person), text].filter(Boolean).join(' ')].filter(Boolean).join(' · '), cards }
}

const NONE = /^0+$/

function readPush(payload: Fields): Content | null {
  const ref = textOf(payload['ref'])
  const noun = ref.startsWith('refs/tags/') ? 'tag' : 'branch'
  const name = code(ref.replace(/^refs\/(?:heads|tags)\//, ''))
  const commits = objectsOf(payload['commits'], maxCommits)
  const total = Number(payload['total_commits_count']) || commits.length
  if (NONE.test(textOf(payload['after']))) return sentence(payload, `deleted the ${noun} ${name}`)
  if (commits.length === 0 || noun === 'tag') return sentence(payload, `pushed the ${noun} ${name}`)
  const lines = commits.map((commit) => {
    const author = line(objectOf(commit['author'])['name'])
    const title = firstText(commit, 'title', 'message').split('\n')[0]
    return `${linked(textOf(commit['id']).slice(0, 8), commit['url'])} ${line(title)}${author === '' ? '' : ` – ${author}`}`
  })
  if (total > commits.length) lines.push(`and ${counted(total - commits.length, 'more commit')}`)
  return sentence(payload, `pushed ${counted(total, 'commit')} to ${name}`, [{ text: lines.join('\n') }])
}

const ACTIONS: Record<string, [verb: string, color: CardColor]> = {
  open: ['opened', 'green'],
  reopen: ['reopened', 'green'],
  close: ['closed', 'gray'],
  merge: ['merged', 'purple'],
  approved: ['approved', 'green'],
  unapproved: ['withdrew the approval of', 'orange'],
}

function readItem(payload: Fields, noun: string, number: string): Content | null {
  const attributes = objectOf(payload['object_attributes'])
  const action = textOf(attributes['action'])
  if (!Object.hasOwn(ACTIONS, action)) return null
  const [verb, color] = ACTIONS[action]!
  const isConfidential = attributes['confidential'] === true
  const [source, target] = [attributes['source_branch'], attributes['target_branch']]
  return sentence(payload, `${verb} ${noun}`, [
    {
      color,
      title: linked(
        `${number} ${isConfidential ? '(confidential)' : textOf(attributes['title'])}`,
        attributes['url'],
      ),
      ...(action === 'open' && !isConfidential ? { text: markdownBlock(attributes['description']) } : {}),
      ...(source && target ? { footer: `${line(source)} → ${line(target)}` } : {}),
    },
  ])
}

function readNote(payload: Fields, note: Fields): Content | null {
  const subjects: [key: string, sign: string][] = [
    ['merge_request', '!'],
    ['issue', '#'],
    ['snippet', '$'],
  ]
  const [key = '', sign = ''] = subjects.find(([one]) => objectOf(payload[one])['title']) ?? []
  const item = objectOf(payload[key])
  if (item['confidential'] === true || note['internal'] === true) return null
  const commit = objectOf(payload['commit'])
  const subject =
    key === ''
      ? linked(textOf(commit['id']).slice(0, 8), commit['url'])
      : linked(
          `${sign}${String(item['iid'] ?? item['id'] ?? '')} ${textOf(item['title'])}`,
          firstText(item, 'url', 'web_url') || note['url'],
        )
  return sentence(payload, `${linked('commented', note['url'])} on ${subject}`, [
    { text: markdownBlock(note['note']) },
  ])
}

function statusColor(status: string): CardColor | null {
  if (status === 'success') return 'green'
  if (status === 'failed') return 'red'
  return status === 'canceled' ? 'gray' : null
}

function readPipeline(payload: Fields, pipeline: Fields): Content | null {
  const status = textOf(pipeline['status'])
  const color = statusColor(status)
  if (color === null) return null
  const id = String(pipeline['id'] ?? '')
  const commit = objectOf(payload['commit'])
  const address =
    textOf(pipeline['url']) || `${textOf(objectOf(payload['project'])['web_url'])}/-/pipelines/${id}`
  return sentence({ project: payload['project'] }, `pipeline ${linked(`#${id}`, address)}: ${bold(status)}`, [
    {
      color,
      title: linked(firstText(commit, 'title', 'message').split('\n')[0], commit['url']),
      fields: [
        { name: 'Branch', value: code(pipeline['ref']), short: true },
        { name: 'Started by', value: line(objectOf(payload['user'])['name']), short: true },
        ...failedJobs(payload),
      ],
    },
  ])
}

function failedJobs(payload: Fields) {
  const failed = objectsOf(payload['builds'], 200).filter(({ status }) => status === 'failed')
  const names = failed.slice(0, 10).map(({ name }) => code(name))
  return names.length === 0 ? [] : [{ name: 'Failed jobs', value: names.join(', ') }]
}

function readDeployment(payload: Fields): Content | null {
  const status = textOf(payload['status'])
  const color = statusColor(status)
  if (color === null) return null
  const text = `deployment to ${bold(payload['environment'])}: ${line(status)}`
  return sentence({ project: payload['project'] }, text, [
    { color, title: linked(payload['commit_title'], payload['commit_url']) },
  ])
}
