export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  // Allows to automatically instantiate createClient with right options
  // instead of createClient<Database, { PostgrestVersion: 'XX' }>(URL, KEY)
  __InternalSupabase: {
    PostgrestVersion: "14.12"
  }
  public: {
    Tables: {
      author_details: {
        Row: {
          author_id: number
          bio: string
        }
        Insert: {
          author_id: number
          bio?: string
        }
        Update: {
          author_id?: number
          bio?: string
        }
        Relationships: [
          {
            foreignKeyName: "author_details_author_id_fkey"
            columns: ["author_id"]
            isOneToOne: true
            referencedRelation: "authors"
            referencedColumns: ["id"]
          },
        ]
      }
      authors: {
        Row: {
          born: string | null
          id: number
          name: string
          initials: string | null
        }
        Insert: {
          born?: string | null
          id?: never
          name: string
        }
        Update: {
          born?: string | null
          id?: never
          name?: string
        }
        Relationships: []
      }
      book_subjects: {
        Row: {
          book_id: string
          subject_id: number
        }
        Insert: {
          book_id: string
          subject_id: number
        }
        Update: {
          book_id?: string
          subject_id?: number
        }
        Relationships: [
          {
            foreignKeyName: "book_subjects_book_id_fkey"
            columns: ["book_id"]
            isOneToOne: false
            referencedRelation: "books"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "book_subjects_book_id_fkey"
            columns: ["book_id"]
            isOneToOne: false
            referencedRelation: "printed"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "book_subjects_subject_id_fkey"
            columns: ["subject_id"]
            isOneToOne: false
            referencedRelation: "subjects"
            referencedColumns: ["id"]
          },
        ]
      }
      books: {
        Row: {
          author_id: number | null
          extra: Json | null
          id: string
          isbn: string | null
          place: Database["shelf"]["CompositeTypes"]["place"] | null
          sequel_of: string | null
          slug: string | null
          state: Database["public"]["Enums"]["state"]
          tags: string[]
          title: string
        }
        Insert: {
          author_id?: number | null
          extra?: Json | null
          id?: string
          isbn?: string | null
          place?: Database["shelf"]["CompositeTypes"]["place"] | null
          sequel_of?: string | null
          slug?: never
          state?: Database["public"]["Enums"]["state"]
          tags?: string[]
          title: string
        }
        Update: {
          author_id?: number | null
          extra?: Json | null
          id?: string
          isbn?: string | null
          place?: Database["shelf"]["CompositeTypes"]["place"] | null
          sequel_of?: string | null
          slug?: never
          state?: Database["public"]["Enums"]["state"]
          tags?: string[]
          title?: string
        }
        Relationships: [
          {
            foreignKeyName: "books_author_id_fkey"
            columns: ["author_id"]
            isOneToOne: false
            referencedRelation: "authors"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "books_sequel_of_fkey"
            columns: ["sequel_of"]
            isOneToOne: false
            referencedRelation: "books"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "books_sequel_of_fkey"
            columns: ["sequel_of"]
            isOneToOne: false
            referencedRelation: "printed"
            referencedColumns: ["id"]
          },
        ]
      }
      subjects: {
        Row: {
          id: number
          label: string
        }
        Insert: {
          id: number
          label: string
        }
        Update: {
          id?: number
          label?: string
        }
        Relationships: []
      }
    }
    Views: {
      counted: {
        Row: {
          author_id: number | null
          books: number | null
        }
        Relationships: [
          {
            foreignKeyName: "books_author_id_fkey"
            columns: ["author_id"]
            isOneToOne: false
            referencedRelation: "authors"
            referencedColumns: ["id"]
          },
        ]
      }
      labels: {
        Row: {
          label: string | null
        }
        Relationships: []
      }
      printed: {
        Row: {
          author_id: number | null
          id: string | null
          title: string | null
        }
        Insert: {
          author_id?: number | null
          id?: string | null
          title?: string | null
        }
        Update: {
          author_id?: number | null
          id?: string | null
          title?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "books_author_id_fkey"
            columns: ["author_id"]
            isOneToOne: false
            referencedRelation: "authors"
            referencedColumns: ["id"]
          },
        ]
      }
    }
    Functions: {
      find_books: {
        Args: { most?: number; words: string }
        Returns: {
          author_id: number | null
          extra: Json | null
          id: string
          isbn: string | null
          place: Database["shelf"]["CompositeTypes"]["place"] | null
          sequel_of: string | null
          slug: string | null
          state: Database["public"]["Enums"]["state"]
          tags: string[]
          title: string
        }[]
        SetofOptions: {
          from: "*"
          to: "books"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      initials: {
        Args: { "": Database["public"]["Tables"]["authors"]["Row"] }
        Returns: {
          error: true
        } & "the function public.initials with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
      }
      price:
        | {
            Args: { book: string }
            Returns: {
              amount: number
              currency: string
            }[]
          }
        | { Args: { book: string; day: string }; Returns: number }
      stock: { Args: { book: string }; Returns: Record<string, unknown> }
      touch: { Args: Record<PropertyKey, never>; Returns: undefined }
    }
    Enums: {
      state: "draft" | "in print" | 'it\'s "out"'
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
  shelf: {
    Tables: {
      class: {
        Row: {
          "a name": string | null
          select: number
          ünï: Database["public"]["Enums"]["state"][] | null
        }
        Insert: {
          "a name"?: string | null
          select: number
          ünï?: Database["public"]["Enums"]["state"][] | null
        }
        Update: {
          "a name"?: string | null
          select?: number
          ünï?: Database["public"]["Enums"]["state"][] | null
        }
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      [_ in never]: never
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      place: {
        room: string | null
        row: number | null
      }
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] &
        DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] &
        DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends (DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never) = never,
> = DefaultSchemaEnumNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends (PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never) = never,
> = PublicCompositeTypeNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  public: {
    Enums: {
      state: ["draft", "in print", 'it\'s "out"'],
    },
  },
  shelf: {
    Enums: {},
  },
} as const
