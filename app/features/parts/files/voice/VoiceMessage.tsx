import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import type { MessageExtras } from '../../../../../wire/messages.ts'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { FileError } from '../attachments/FileError.tsx'
import styles from '../attachments/Attachments.module.css'
import { VoicePlayer } from './VoicePlayer.tsx'

interface Props {
  channelId: string
  authorId: string
  file: Attachment
  voice: NonNullable<MessageExtras['voice']>
}

/** A voice message; its recording is fetched when it is played. */
export function VoiceMessage({ channelId, authorId, file, voice }: Props) {
  const name = useProfile(authorId)?.name ?? i18n._('Former member')
  const [isRequested, setRequested] = useState(false)
  const [broken, setBroken] = useState(false)
  const { url, status } = useFileUrl(channelId, isRequested ? file.id : null, 'file')
  if (broken || status === 'failed')
    return (
      <div className={styles.file}>
        <FileError
          text={i18n._('This audio can’t be played here.')}
          onRetry={() => {
            setBroken(false)
            setRequested(false)
          }}
        />
      </div>
    )
  return (
    <VoicePlayer
      label={i18n._('Voice message from {name}', { name })}
      voice={voice}
      url={url}
      onRequest={() => setRequested(true)}
      onError={() => setBroken(true)}
    />
  )
}
