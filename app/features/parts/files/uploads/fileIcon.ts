import type { LucideIcon } from 'lucide-react'
import Sound from 'lucide-react/icons/file-music'
import Paper from 'lucide-react/icons/file-text'
import Film from 'lucide-react/icons/film'
import PictureSign from 'lucide-react/icons/image'
import { fileKindOf, type FileKind } from '../../../../../wire/fileKinds.ts'
import { FileIcon } from '../../icons.ts'

const icons: Record<FileKind, LucideIcon> = {
  picture: PictureSign,
  video: Film,
  audio: Sound,
  pdf: Paper,
  text: Paper,
  other: FileIcon,
}

/** The icon of a file that is not uploaded yet, by its declared type. */
export function fileIcon(type: string): LucideIcon {
  return icons[fileKindOf(type)]
}
