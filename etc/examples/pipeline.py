# A pipeline: each chapter is written, checked and measured as soon as it is
# there, without waiting for the others.
#
# args: {"subject": TEXT}

meta = {
    "name": "pipeline",
    "description": "Outline a book, then begin each chapter.",
    "phases": ["Outline", "Chapters"],
}

subject = args.get("subject", "sea salt")


async def write(title, item, index):
    text = await agent(f'Write the first sentence of "{title}".',
                       label=f"chapter {index + 1}")
    return {"chapter": index + 1, "title": title, "text": text}


def measure(chapter, item, index):
    chapter["words"] = len(chapter["text"].split())
    return chapter


phase("Outline")
titles = await agent(
    f"Name three chapters of a book about {subject}",
    schema={"type": "array", "items": {"type": "string"},
            "minItems": 3, "maxItems": 3})

phase("Chapters")
chapters = await pipeline(titles, write, measure)
return {"subject": subject, "chapters": chapters}
