import { useState } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import { AudioPlayer } from '../playback/AudioPlayer.tsx'
import { VideoPlayer } from '../playback/VideoPlayer.tsx'
import { FileRow, type FileProps } from './FileRow.tsx'
import { TextAttachment } from './TextAttachment.tsx'

/** A file that is not shown as an inline image. */
export function FileAttachment(props: FileProps) {
  const kind = fileKindOf(props.file.type)
  const [tries, setTries] = useState(0)
  const retry = () => setTries(tries + 1)
  if (kind === 'video') return <VideoPlayer key={tries} {...props} onRetry={retry} />
  if (kind === 'audio') return <AudioPlayer key={tries} {...props} onRetry={retry} />
  if (kind === 'text') return <TextAttachment {...props} />
  return <FileRow {...props} canOpen={kind !== 'other'} />
}
