import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import {
  addToDraft,
  deleteSharedContent,
  readSharedContent,
  type SharedContent,
} from '../../data/share/sharedContent.ts'
import { DestinationIcon } from '../../features/flows/channels/DestinationIcon.tsx'
import {
  openDestination,
  useDestinations,
  type Destination,
} from '../../features/flows/channels/useDestinations.ts'
import { rank } from '../../features/parts/matching/rank.ts'
import { navigate } from '../../historyState.ts'
import { pathTo } from '../../paths.ts'
import styles from './entryRow.module.css'
import { ListPage } from '../../shell/ListPage.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { GrowingList } from '../../ui/GrowingList.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useToast } from '../../ui/toast.ts'
import page from './SharePage.module.css'

/**
 * The page that another application opens to share a text, a link or files: the reader chooses the conversation whose
 * draft receives them, or a person with whom a conversation begins.
 */
export default function SharePage() {
  const [content, setContent] = useState<SharedContent | null | 'loading'>('loading')
  const [query, setQuery] = useState('')
  const [isAdding, setAdding] = useState(false)
  const destinations = useDestinations()
  const showToast = useToast()
  useEffect(() => {
    void readSharedContent()
      .catch(() => null)
      .then(setContent)
  }, [])

  const title = i18n._('Share')
  if (content === 'loading')
    return (
      <ListPage title={title}>
        <Skeleton label={i18n._('Loading…')} />
      </ListPage>
    )
  if (content === null)
    return (
      <ListPage title={title}>
        <EmptyState
          title={i18n._('Nothing to share')}
          text={
            isMissed()
              ? i18n._('Linnet was not ready to receive it. Share it again in the other app.')
              : i18n._('Choose Linnet in the share menu of another app.')
          }
        />
      </ListPage>
    )

  const add = async (destination: Destination) => {
    if (isAdding) return
    setAdding(true)
    const opened = await openDestination(destination)
    if (!opened.ok) {
      setAdding(false)
      return showToast({ text: opened.failure.message })
    }
    const channelId = opened.value
    const problems = await addToDraft(channelId, content)
    await deleteSharedContent()
    if (problems.length > 0) showToast({ text: problems.join(' ') })
    navigate(pathTo('channel', { channelId }), { replace: true })
  }
  const discard = async () => {
    await deleteSharedContent()
    navigate(pathTo('home'), { replace: true })
  }
  const found = rank(destinations, query)
  return (
    <ListPage
      title={title}
      top={
        <>
          <Preview content={content} />
          <div className={page.actions}>
            <Button onClick={() => void discard()}>{i18n._('Discard')}</Button>
          </div>
          <TextField
            name="to"
            type="search"
            label={i18n._('To')}
            placeholder={i18n._('Find a channel or person')}
            value={query}
            onChange={setQuery}
          />
        </>
      }
    >
      <GrowingList
        label={i18n._('Conversations')}
        className={styles.list}
        items={found}
        selection={query}
        render={(one) => <Choice key={one.id} destination={one} onChoose={() => void add(one)} />}
      />
      {found.length === 0 ? <EmptyState role="status" text={i18n._('Nothing found.')} /> : null}
    </ListPage>
  )
}

/** Whether the server received what was shared, since no service worker ran. The server stores none of it. */
const isMissed = (): boolean => new URLSearchParams(location.search).has('again')

function Choice({ destination, onChoose }: { destination: Destination; onChoose: () => void }) {
  return (
    <li>
      <button type="button" className={styles.entry} data-entry onClick={onChoose}>
        <DestinationIcon destination={destination} />
        <bdi className={styles.name}>{destination.name}</bdi>
      </button>
    </li>
  )
}

/** The text, and the names of the files. */
function Preview({ content: { text, files } }: { content: SharedContent }) {
  return (
    <div className={page.preview}>
      {text ? (
        <p className={page.text} dir="auto">
          {text}
        </p>
      ) : null}
      {files.map((file) => (
        <p key={`${file.name} ${file.size}`} className={page.file} dir="auto">
          {file.name}
        </p>
      ))}
    </div>
  )
}
